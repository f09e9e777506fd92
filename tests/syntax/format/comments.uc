

# at the top


# after two blank lines: one is kept
target   sm_90a# behind a header
input x:f32[4,   # in brackets: goes above
  8]
   # indented: goes to the left

y=f(x # in the call
  , w) # behind the call
   # before the knob

  .tile(64x64)
  .stages(3) # behind a knob
  >> relu()   >> # behind the arrow
  # before the last call
  to(f16)# at the end
return y
# last
