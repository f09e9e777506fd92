# expect: UC1001 at 5:6
# expect: UC1001 at 6:8
# expect: UC1001 at 7:8
# bytes that are not UTF-8, in a comment, a name, a string
# café
y = f(aÿþ, b)
z = f("Ã(")
