# SPDX-License-Identifier: Apache-2.0
# Benchmark workload: permutation groups. ROUNDS is set on the command line.
Reset(GlobalMersenneTwister, 1);;
Reset(GlobalRandomSource, 1);;
cube := Group(
  ( 1, 3, 8, 6)( 2, 5, 7, 4)( 9,33,25,17)(10,34,26,18)(11,35,27,19),
  ( 9,11,16,14)(10,13,15,12)( 1,17,41,40)( 4,20,44,37)( 6,22,46,35),
  (17,19,24,22)(18,21,23,20)( 6,25,43,16)( 7,28,42,13)( 8,30,41,11),
  (25,27,32,30)(26,29,31,28)( 3,38,43,19)( 5,36,45,21)( 8,33,48,24),
  (33,35,40,38)(34,37,39,36)( 3, 9,46,32)( 2,12,47,29)( 1,14,48,27),
  (41,43,48,46)(42,45,47,44)(14,22,30,38)(15,23,31,39)(16,24,32,40));;
Print(Size(cube), " ", Length(Orbits(cube, [1 .. 48])), " ", Size(Centre(cube)), "\n");
g := cube;;
for round in [1 .. ROUNDS] do
  gens := List([1 .. 2], i -> Random(SymmetricGroup(60)));;
  w := WreathProduct(AlternatingGroup(5), Group((1,2,3,4,5,6)));;
  s := SylowSubgroup(w, 2);;
  m := MathieuGroup(12);;
  Print(Size(Group(gens)), " ", Size(s), " ", Size(DerivedSubgroup(s)), " ", Length(ConjugacyClasses(m)), " ",
        Size(Normalizer(m, SylowSubgroup(m, 3))), "\n");
  h := Stabilizer(cube, [1, 3, 8], OnSets);;
  Print(Size(h), " ", Size(DerivedSubgroup(h)), " ", Index(cube, h), "\n");
  g := Group(GeneratorsOfGroup(cube));;
  Print(Number([1 .. 300], i -> Random(SymmetricGroup(48)) in g), "\n");
od;
QUIT;
