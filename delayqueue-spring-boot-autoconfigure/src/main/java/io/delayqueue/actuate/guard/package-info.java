/**
 * Request filters of the management endpoints for both web stacks. They reject actions of pages of another site and add
 * security headers to responses.
 *
 * <p>{@link io.delayqueue.actuate.guard.RequestGuard} decides; the filters apply its decisions. What it has in
 * common with the guard of the HTTP interfaces is in {@code management.guard}.
 */
@Internal
@NullMarked
package io.delayqueue.actuate.guard;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
