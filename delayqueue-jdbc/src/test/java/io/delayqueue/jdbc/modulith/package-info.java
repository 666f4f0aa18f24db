/** Spring Modulith with delayqueue as its broker. */
package io.delayqueue.jdbc.modulith;
