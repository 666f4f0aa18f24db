/**
 * Forwarding through any Spring messaging template, regardless of the broker that the template uses.
 */
@Internal
@NullMarked
package io.delayqueue.forward.messaging;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
