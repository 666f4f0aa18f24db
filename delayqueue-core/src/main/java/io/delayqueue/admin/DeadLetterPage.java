package io.delayqueue.admin;

import io.delayqueue.message.DeadLetter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of dead letters.
 *
 * @param deadLetters youngest first
 * @param next identifies the next page, letters, digits and dots; null if this is the last page
 */
public record DeadLetterPage(
        List<DeadLetter> deadLetters, @Nullable String next) {}
