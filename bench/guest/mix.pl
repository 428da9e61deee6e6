# SPDX-License-Identifier: Apache-2.0
# Benchmark workload: hashes, strings, regular expressions, sorting and method calls. Argument: rounds.
use strict;
use warnings;

my $state = 12345;
sub rnd { $state = ($state * 1103515245 + 12345) & 0x7fffffff; return $state % $_[0]; }

package Account {
    sub new { my ($class, $name) = @_; return bless { name => $name, sum => 0, log => [] }, $class; }
    sub pay { my ($self, $n) = @_; $self->{sum} += $n; push @{ $self->{log} }, $n if $n % 7 == 0; return $self; }
    sub report { my $self = shift; return "$self->{name}:$self->{sum}:" . scalar @{ $self->{log} }; }
}

my @syllables = qw(lin chp in tra ce blo ck reg ist er fl ag ca che);
sub word { return join '', map { $syllables[rnd(scalar @syllables)] } 1 .. 1 + rnd(4); }

my ($rounds) = @ARGV;
my $check = 0;
for my $round (1 .. $rounds) {
    my %count;
    my $text = join ' ', map { word() } 1 .. 4000;
    $count{$_}++ for split / /, $text;
    my @top = (sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count)[0 .. 9];
    my $hits = () = $text =~ /\b(?:lin|ca)\w*(?:er|ck)\b/g;
    (my $copy = $text) =~ s/(\w)(\w+)/\u$1$2/g;
    $copy =~ tr/a-m/n-z/;
    my %accounts = map { $_ => Account->new($_) } @top;
    $accounts{ $top[$_ % 10] }->pay($_ * $round) for 1 .. 3000;
    my $lines = join ';', map { $accounts{$_}->report } sort keys %accounts;
    $check = ($check * 31 + length($copy) + $hits + unpack('%32C*', $copy . $lines)) & 0xffffffff;
}
printf "%08x\n", $check;
