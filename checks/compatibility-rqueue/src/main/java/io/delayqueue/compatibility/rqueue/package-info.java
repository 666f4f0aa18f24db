/** An application of rqueue. */
package io.delayqueue.compatibility.rqueue;
