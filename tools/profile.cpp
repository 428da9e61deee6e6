// SPDX-License-Identifier: Apache-2.0
// profile: where the instructions go, with call stacks (profiletool.h).
#include "profiletool.h"

int main(int argc, char **argv) { return profile_run(argc, argv, ProfileTool{"profile", "where the instructions go, with call stacks", TRUE, NULL}); }
