/**
 * Forwarding through any Spring messaging template, regardless of the broker that the template uses.
 *
 * <p>Row 5: used by {@code autoconfigure} only.
 */
@Internal
@NullMarked
package io.delayqueue.forward.messaging;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
