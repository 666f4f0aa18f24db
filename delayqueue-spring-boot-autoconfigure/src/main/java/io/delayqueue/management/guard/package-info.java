/**
 * What the guards of the endpoint, the dashboard and the HTTP interfaces decide alike, on any web stack: which requests come
 * from pages of other sites ({@link io.delayqueue.management.guard.WebRequest}), and which hosts other sites may have
 * ({@link io.delayqueue.management.guard.AllowedHosts}). Used by {@code actuate.guard} and {@code web.guard}.
 */
@Internal
@NullMarked
package io.delayqueue.management.guard;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
