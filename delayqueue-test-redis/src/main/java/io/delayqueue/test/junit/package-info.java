/**
 * A real Redis server for tests that run on JUnit without Spring.
 *
 * <p>Read {@link io.delayqueue.test.junit.EmbeddedRedis}. Needs JUnit Jupiter on the class path, which this module does
 * not bring.
 */
@NullMarked
package io.delayqueue.test.junit;

import org.jspecify.annotations.NullMarked;
