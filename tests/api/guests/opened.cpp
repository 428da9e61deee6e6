// SPDX-License-Identifier: Apache-2.0
// A program with a library whose file has another name than the link by which it is opened.
#include <string>

int main(int argc, char **) { return std::string(argc, 'a') != "a"; }
//> opened
//= libstdc++.so.6
