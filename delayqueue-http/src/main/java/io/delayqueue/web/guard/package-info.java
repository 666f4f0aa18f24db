/**
 * Access control of the HTTP interfaces: it applies {@code management.guard.RequestPolicy}, which decides, to their requests,
 * and keeps its decisions for meters. Read next: {@link io.delayqueue.web.guard.AccessGuard}.
 */
@Internal
@NullMarked
package io.delayqueue.web.guard;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
