/**
 * What happened, in the words of those who did it, for the page to show.
 */
@NullMarked
package io.delayqueue.sample.journal;

import org.jspecify.annotations.NullMarked;
