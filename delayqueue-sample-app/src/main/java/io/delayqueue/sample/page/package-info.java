/**
 * The page at {@code /}. Its files are in {@code static}; this package provides its data in one response.
 *
 * <p>It uses all other features. No other feature depends on it.
 */
@NullMarked
package io.delayqueue.sample.page;

import org.jspecify.annotations.NullMarked;
