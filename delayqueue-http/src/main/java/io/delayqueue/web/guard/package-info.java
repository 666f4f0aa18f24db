/**
 * Access control of the HTTP interfaces: clients with tokens, their permissions, topics and limits, or authorities of the
 * application's own security. Read next: {@link io.delayqueue.web.guard.AccessGuard}.
 */
@Internal
@NullMarked
package io.delayqueue.web.guard;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
