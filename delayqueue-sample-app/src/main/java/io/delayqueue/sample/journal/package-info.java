/** The journal of events that the page shows. */
@NullMarked
package io.delayqueue.sample.journal;

import org.jspecify.annotations.NullMarked;
