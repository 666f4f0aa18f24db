/** Processes, databases, clocks and rules for the tests of all modules. */
package io.delayqueue.testing;
