# SPDX-License-Identifier: Apache-2.0
# Perl processes: fork, pipes, backticks, exec, signals, wait statuses.
use strict;
use warnings;
$| = 1;
print `echo from backticks | tr a-z A-Z`;
for my $n (1 .. 5) {
    my $pid = fork // die;
    exit $n if !$pid;
    waitpid $pid, 0;
    print $? >> 8, "\n";
}
open my $in, '-|', 'seq 1000 | sort -rn | head -2' or die;
print <$in>;
close $in;
open my $out, '|-', 'cat -n' or die;
print $out "one\ntwo\n";
close $out;
pipe my $r, my $w;
if (!fork) { close $r; print $w "child $_\n" for 1 .. 3; exit }
close $w;
print <$r>;
wait;
my $got = 0;
$SIG{USR1} = sub { $got++ };
kill USR1 => $$ for 1 .. 10;
print "$got\n";
my $pid = fork // die;
if (!$pid) { exec 'sleep', '60' }
kill TERM => $pid;
waitpid $pid, 0;
print $? & 127, "\n";
exec 'echo', 'last';
