/** Forwarding to real brokers, each in a process of its own that is killed, paused and restarted. */
package io.delayqueue.broker;
