# SPDX-License-Identifier: Apache-2.0
# Plain Perl: hashes, closures, formats, sort, regular expressions, eval, local, tie, big numbers.
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use List::Util qw(reduce sum shuffle);
use Math::BigInt;
use Storable qw(dclone);

my %h = map { $_ => $_ ** 2 } 1 .. 50;
print join(',', map { "$_=$h{$_}" } (sort { $h{$b} <=> $h{$a} } keys %h)[0 .. 4]), "\n";
my @fns = map { my $n = $_; sub { $n * shift } } 1 .. 5;
print sum(map { $_->(10) } @fns), "\n";
my $text = join ' ', map { "item$_:" . $_ * 7 } 1 .. 200;
my @m = $text =~ /item(\d*5):(\d+)/g;
print scalar(@m), " $m[-1] ", md5_hex($text), "\n";
(my $t = $text) =~ s/(\d+)/<@{[ $1 + 1 ]}>/g;
print substr($t, 0, 40), "\n";
eval { die { code => 42 } };
print $@->{code}, "\n";
print Math::BigInt->new(2)->bpow(200), ' ', Math::BigInt->new(60)->bfac, "\n";
my $deep = dclone({ a => [1, { b => 2 }] });
print $deep->{a}[1]{b}, ' ', sprintf('%.10f %e %b %s', atan2(1, 1) * 4, 1 / 3, 37, scalar reverse 'abc'), "\n";
print reduce { $a * $b } 1 .. 15;
print "\n", join('|', unpack('A3 n C', pack('A3 n C', 'xyz', 513, 7))), "\n";
sub fib { my $n = shift; return $n < 2 ? $n : fib($n - 1) + fib($n - 2) }
print fib(18), "\n";
local $SIG{ALRM} = sub { die "alarm\n" };
eval { alarm 1; 1 while 1; };
print $@;
