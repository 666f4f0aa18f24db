/**
 * What stands before the management endpoints on either web stack: it refuses changes that a page of another host asks
 * for, and says in headers what browsers may do with the answers.
 *
 * <p>Row 5: used by {@code autoconfigure} only. The decision is one class, {@link io.delayqueue.actuate.guard.RequestGuard}; the filters
 * only carry it out.
 */
@NullMarked
package io.delayqueue.actuate.guard;

import org.jspecify.annotations.NullMarked;
