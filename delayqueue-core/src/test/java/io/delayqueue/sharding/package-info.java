/** Tests of sharded topics through template, store, admin and inspector, on one Redis and on a cluster. */
package io.delayqueue.sharding;
