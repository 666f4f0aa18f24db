/**
 * Forwarding to JMS. Only this package and {@code autoconfigure} use the client library.
 */
@Internal
@NullMarked
package io.delayqueue.forward.jms;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
