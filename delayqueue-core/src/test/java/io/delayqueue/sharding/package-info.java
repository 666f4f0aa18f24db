/** Topics of several shards, through all of what sends, receives and operates, on one Redis and on several masters. */
package io.delayqueue.sharding;
