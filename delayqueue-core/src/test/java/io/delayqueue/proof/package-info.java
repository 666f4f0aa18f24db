/** End-to-end tests of the delivery guarantees under load, with killed processes, failovers and network faults. */
@NullMarked
package io.delayqueue.proof;

import org.jspecify.annotations.NullMarked;
