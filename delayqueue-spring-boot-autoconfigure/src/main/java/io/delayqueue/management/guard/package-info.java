/**
 * The guard of the endpoint, the dashboard and the HTTP interfaces, on any web stack.
 * {@link io.delayqueue.management.guard.RequestPolicy} decides about CSRF, hosts, tokens and authorities. Adapters apply its
 * decisions: the filters of {@code actuate.guard} and {@code web.guard.AccessGuard}.
 */
@Internal
@NullMarked
package io.delayqueue.management.guard;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
