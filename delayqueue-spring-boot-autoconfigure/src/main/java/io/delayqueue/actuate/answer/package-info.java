/**
 * What the management endpoint answers, as records that become JSON by their component names. Whatever the queue stores is
 * a text value here, never part of a name.
 *
 * <p>Row 5: used by {@code actuate} only. Instants are in ISO 8601, lengths of time in milliseconds, what isn't there is
 * left out. A component's name is part of the endpoint's contract, see the README.
 */
@NullMarked
package io.delayqueue.actuate.answer;

import org.jspecify.annotations.NullMarked;
