/**
 * Forwarding by any of Spring's templates that send messages; the broker behind it is the template's business.
 *
 * <p>Row 5: used by {@code autoconfigure} only.
 */
@Internal
@NullMarked
package io.delayqueue.forward.messaging;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
