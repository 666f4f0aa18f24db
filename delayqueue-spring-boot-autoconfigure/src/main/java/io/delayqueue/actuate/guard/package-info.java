/**
 * The filters of the management endpoints, one for each web stack. {@code management.guard.RequestPolicy} decides which
 * requests they reject, and {@link io.delayqueue.actuate.guard.EndpointGuard} at which paths. They add security headers to
 * responses.
 */
@Internal
@NullMarked
package io.delayqueue.actuate.guard;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
