/**
 * The page at {@code /}: its files lie in {@code static}, its data comes in one piece from here.
 *
 * <p>It may use every other feature; none uses it.
 */
@NullMarked
package io.delayqueue.sample.page;

import org.jspecify.annotations.NullMarked;
