/**
 * Real databases for tests, each in a process of its own that tests kill and restart, and H2 in memory. The servers are
 * those of Debian's packages. They listen on the loopback interface only and end with this JVM.
 */
package io.delayqueue.jdbc.database;
