package io.delayqueue.web.api.request;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Deletes dead letters.
 *
 * @param until time of dead-lettering up to which dead letters are deleted, inclusive; by default the time of the
 *     request
 */
public record PurgeRequest(@Nullable Instant until) implements ApiRequest {}
