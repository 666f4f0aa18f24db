package io.delayqueue.admin;

import io.delayqueue.message.DeadLetter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of dead letters.
 *
 * @param letters youngest first
 * @param next by which to ask for the page that follows, letters and digits with dots; null if there is none
 */
public record LetterPage(List<DeadLetter> letters, @Nullable String next) {}
