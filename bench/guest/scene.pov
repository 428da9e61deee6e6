// SPDX-License-Identifier: Apache-2.0
// Benchmark workload: reflection, refraction, constructive geometry, procedural textures, a soft light.
#version 3.7;
global_settings { assumed_gamma 1.0 max_trace_level 6 }
camera { location <0, 4, -9> look_at <0, 1, 0> angle 45 }
light_source { <8, 12, -8> color rgb 1 area_light <2, 0, 0>, <0, 0, 2>, 3, 3 adaptive 1 }
background { color rgb <0.3, 0.4, 0.6> }
plane { y, 0 texture { pigment { checker color rgb 0.9 color rgb <0.2, 0.3, 0.2> } finish { reflection 0.15 } } }
#declare S = seed(11);
#declare I = 0;
#while (I < 60)
  sphere { <rand(S) * 8 - 4, rand(S) * 2 + 0.2, rand(S) * 8 - 3>, 0.15 + rand(S) * 0.35
    texture { pigment { granite scale 0.4 color_map { [0 rgb <rand(S), rand(S), rand(S)>] [1 rgb <rand(S), 1, 1>] } }
      finish { phong 0.8 reflection 0.25 } } }
  #declare I = I + 1;
#end
difference {
  box { <-1, 0, -1>, <1, 2, 1> }
  sphere { <0, 1, 0>, 1.25 }
  texture { pigment { marble turbulence 0.7 } finish { specular 0.5 } }
}
sphere { <0, 1, 0>, 0.8 texture { pigment { color rgbf <1, 1, 1, 0.9> } finish { reflection 0.1 phong 1 } } interior { ior 1.5 } }
isosurface { function { pow(x, 2) + pow(y - 1.2, 2) + pow(z, 2) - 0.2 + 0.05 * sin(20 * x) * cos(20 * z) }
  contained_by { box { <-1, 0, -1>, <1, 2.4, 1> } } max_gradient 6 translate <3, 0.3, 0> pigment { color rgb <0.9, 0.5, 0.1> } }
