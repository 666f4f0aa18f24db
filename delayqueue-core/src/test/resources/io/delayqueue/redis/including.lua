-- Doubles ARGV[1].
--@include included
return { double(tonumber(ARGV[1])) }
