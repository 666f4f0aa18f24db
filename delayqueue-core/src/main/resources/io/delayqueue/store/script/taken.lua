-- fragment: messages that a move to another topic has taken. Until the other topic has it, a taken message stays in the
-- schedule, with the score TAKEN plus the score it had. So it comes after all other messages, and no claim reads it. Its
-- delivery is "><move> =<bytes of the target> <target> <delivery before, or empty>".
local TAKEN = 4000000000000000

-- %d uses a C long, which has 32 bits on some servers
local function placeText(score)
  return string.format('%.0f', score)
end
