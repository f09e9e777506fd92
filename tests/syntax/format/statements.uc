target    sm_90a
name mlp
precision	tf32
dim N=1 .. 8192   step 8
dim  M = 1..4
input x :f32[ N,2 * M , 3 ]@col  @strides( 1,2 ) 
scalar s:f32
param W:f8e4m3[4]="a.b"



a,b=f ( x,s ) . tile ( { 64x64,128x64 } , auto )>>store( f32 )>>to(f16)
return   a,b
