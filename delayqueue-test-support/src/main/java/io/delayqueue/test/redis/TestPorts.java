package io.delayqueue.test.redis;

/**
 * Ports for other servers than Redis. Test JVMs that run at the same time get different ones. The class is in this package
 * because {@link FreePort} is not public.
 */
public final class TestPorts {

    private TestPorts() {}

    /** A free port on the loopback interface. It stays reserved until this JVM ends, even while its server is stopped. */
    public static int free() {
        return FreePort.find(false);
    }
}
