/** Tests of sharded topics through template, store, admin and inspector. */
package io.delayqueue.sharding;
