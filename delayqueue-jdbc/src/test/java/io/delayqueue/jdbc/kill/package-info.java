/** Orders with messages, while processes, Redis and the database are killed. */
package io.delayqueue.jdbc.kill;
