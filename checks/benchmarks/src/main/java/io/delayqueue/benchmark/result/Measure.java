package io.delayqueue.benchmark.result;

/** A kind of measurement. */
public enum Measure {
    /** Single sends from 2 threads. */
    SEND_2("send, 2 threads"),
    /** Single sends from 8 threads. */
    SEND("send, 8 threads"),
    /** Single sends from 64 threads. */
    SEND_64("send, 64 threads"),
    /** Single sends from 8 threads to a topic of 4 shards. */
    SEND_4_SHARDS("send, 8 threads, 4 shards"),
    /** Single sends from 8 threads to a topic of 16 shards. */
    SEND_16_SHARDS("send, 8 threads, 16 shards"),
    /** {@code sendAll} of 500 from one thread. */
    SEND_ALL_1("sendAll of 500, 1 thread"),
    /** {@code sendAll} of 500 from 8 threads. */
    SEND_ALL_8("sendAll of 500, 8 threads"),
    /** Consumption of due messages until all are acknowledged, with concurrency 8 and an empty handler. */
    DRAIN("drain, concurrency 8"),
    /** Lateness at 1,000 messages per second with random delays. */
    LATENESS("lateness at 1,000/s"),
    /** Parts of the lateness at 1,000 messages per second. */
    LAG("where the lag goes at 1,000/s"),
    /** Lateness at 20,000 messages per second with random delays. */
    LATENESS_20("lateness at 20,000/s"),
    /** Lateness at 50,000 messages per second with random delays. */
    LATENESS_50("lateness at 50,000/s"),
    /** Highest rate that is sent and delivered without falling behind. */
    HIGHEST_RATE("highest sustained rate"),
    /** Asynchronous single sends at 50,000 messages per second. */
    ASYNC_50("asynchronous sends at 50,000/s"),
    /** Asynchronous single sends at 60,000 messages per second. */
    ASYNC_60("asynchronous sends at 60,000/s"),
    /** Highest rate of asynchronous single sends of which 99 % complete in time. */
    HIGHEST_ASYNC_RATE("highest sustained rate of asynchronous sends"),
    /** Consumption with concurrency 8 and handlers that take 5 ms. */
    HANDLERS_8("handlers of 5 ms, concurrency 8"),
    /** Consumption with concurrency 64 and handlers that take 5 ms. */
    HANDLERS_64("handlers of 5 ms, concurrency 64"),
    /** Consumption with concurrency 512 and handlers that take 5 ms. */
    HANDLERS_512("handlers of 5 ms, concurrency 512"),
    /** Consumption with concurrency 2,000 and handlers that take 5 ms. */
    HANDLERS_2000("handlers of 5 ms, concurrency 2,000"),
    /** Consumption with concurrency 64 and handlers on virtual threads that take 5 ms. */
    VIRTUAL_64("handlers of 5 ms, concurrency 64, virtual threads"),
    /** Consumption with concurrency 2,000 and handlers on virtual threads that take 5 ms. */
    VIRTUAL_2000("handlers of 5 ms, concurrency 2,000, virtual threads"),
    /** Commands per second without messages. */
    IDLE("idle, 10 topics"),
    /** Messages due in one millisecond, consumed as they become due. */
    BURST("burst of one millisecond"),
    /** Sends over HTTP, one message in a request. */
    HTTP_SEND("HTTP API: send"),
    /** Sends over HTTP, 100 messages in a request. */
    HTTP_SEND_100("HTTP API: send in batches of 100"),
    /** Receives and acknowledgements over HTTP, one message in a request. */
    HTTP_RECEIVE("HTTP API: receive and acknowledge"),
    /** Receives and acknowledgements over HTTP, 100 messages in a request. */
    HTTP_RECEIVE_100("HTTP API: receive and acknowledge 100"),
    /** Lateness over HTTP while 1,000 clients wait and 200 messages per second become due. */
    HTTP_LONG_POLL("HTTP API: 1,000 waiting clients, 200/s"),
    /** Pushes to the interface of ouqiang/delay-queue. */
    HTTP_PUSH("ouqiang/delay-queue: push"),
    /** Pops and finishes of the interface of ouqiang/delay-queue. */
    HTTP_POP("ouqiang/delay-queue: pop and finish"),
    /** Transactions that insert an order and send a message, from 8 threads. */
    COMMIT("commits on PostgreSQL, 8 threads"),
    /** Instructions that Redis executes for an operation. */
    INSTRUCTIONS("instructions of Redis"),
    /** Memory of a scheduled message in Redis, in bytes. */
    MEMORY("memory"),
    /** Start of a web application with Actuator and Spring Data Redis. */
    START_UP("start-up");

    private final String title;

    Measure(String title) {
        this.title = title;
    }

    /** The title in reports. */
    public String title() {
        return title;
    }

    /** How messages are sent or awaited if the title does not say it, otherwise an empty string. */
    public String remark() {
        return switch (this) {
            case LATENESS, LAG -> "One thread sends a message each millisecond, and waits for each send.";
            case LATENESS_20, LATENESS_50 -> "Four threads in turn send a batch each millisecond, with `sendAll`.";
            case HIGHEST_RATE ->
                "Four threads in turn send a batch each millisecond, with `sendAll`; at 1,000/s one thread sends"
                        + " single messages. Redisson sends a batch with `offerAsync`, BullMQ with `addBulk`.";
            case ASYNC_50, ASYNC_60, HIGHEST_ASYNC_RATE ->
                "Four threads in turn send single messages each millisecond, with `sendAsync`. Nothing is consumed."
                        + " A send lasts from its millisecond until its future completes.";
            case IDLE ->
                "One consumer per topic. Those of Redisson block in `take()`, or poll in a loop with a timeout of 1 s, so that"
                        + " they can be stopped.";
            default -> "";
        };
    }

    /** Whether clients use an HTTP interface. */
    public boolean overHttp() {
        return name().startsWith("HTTP");
    }

    /** Number of shards of the measured topic. */
    public int shards() {
        return switch (this) {
            case SEND_4_SHARDS -> 4;
            case SEND_16_SHARDS -> 16;
            default -> 1;
        };
    }

    /** Number of threads or, in one process without threads, of concurrent functions that send. */
    public int senders() {
        return switch (this) {
            case SEND_ALL_1 -> 1;
            case SEND_2 -> 2;
            case SEND_64 -> 64;
            default -> 8;
        };
    }

    /** Concurrency of the measured listener. */
    public int concurrency() {
        return switch (this) {
            case HANDLERS_64, VIRTUAL_64 -> 64;
            case HANDLERS_512 -> 512;
            case HANDLERS_2000, VIRTUAL_2000 -> 2_000;
            default -> 8;
        };
    }

    /** Whether handlers run on virtual threads, which require JDK 21. */
    public boolean onVirtualThreads() {
        return this == VIRTUAL_64 || this == VIRTUAL_2000;
    }

    /** Milliseconds for which a handler sleeps. */
    public int handlerMillis() {
        return switch (this) {
            case HANDLERS_8, HANDLERS_64, HANDLERS_512, HANDLERS_2000, VIRTUAL_64, VIRTUAL_2000 -> 5;
            default -> 0;
        };
    }
}
