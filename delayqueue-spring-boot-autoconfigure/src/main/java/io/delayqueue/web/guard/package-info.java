/**
 * Who is let in at the HTTP doors: by tokens, or by the application's own security before them. Read next:
 * {@link io.delayqueue.web.guard.AccessGuard}.
 */
@NullMarked
package io.delayqueue.web.guard;

import org.jspecify.annotations.NullMarked;
