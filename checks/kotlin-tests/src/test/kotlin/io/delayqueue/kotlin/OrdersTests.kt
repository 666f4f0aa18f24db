package io.delayqueue.kotlin

import io.delayqueue.message.DelayMessage
import io.delayqueue.template.DelayQueueOperations
import io.delayqueue.test.DelayQueueHarness
import kotlinx.coroutines.reactor.asCoroutineDispatcher
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.test.context.SpringBootTest
import reactor.core.scheduler.Schedulers

/** An application in Kotlin on a real Redis. Each test has ids of its own; one sends what cannot be read. */
@SpringBootTest(properties = ["delayqueue.payload.on-failed-read-back=warn"])
class OrdersTests @Autowired constructor(
    private val orders: Orders,
    private val invoices: Invoices,
    private val shop: Shop,
    private val queue: DelayQueueOperations,
    private val harness: DelayQueueHarness,
) {

    @Test
    fun suspendFunctionHandlesADataClass() {
        orders.placeWithId("suspend")
        harness.makeDue("order-cancel", "suspend")
        harness.awaitAcknowledged("order-cancel", "suspend")

        assertThat(shop.cancelled).containsEntry(CancelOrder("suspend", "not paid", listOf("fragile")), 1)
    }

    @Test
    fun absentPropertiesHaveTheirDefaults() {
        send(mapOf("orderNo" to "defaults"))
        harness.awaitAcknowledged("order-cancel", "defaults")

        assertThat(shop.cancelled).containsKey(CancelOrder("defaults"))
    }

    @Test
    fun exceptionOfASuspendedFunctionFailsTheAttempt() {
        send(CancelOrder("sold", reason = "sold"))

        assertThat(harness.awaitDead("order-cancel", "sold").attempts()).isEqualTo(2)
        await().untilAsserted { assertThat(shop.deadLettered).containsEntry("sold", "order sold is sold") }
    }

    @Test
    fun absentPropertyWithoutADefaultIsADeadLetterAtOnce() {
        send(mapOf("orderNo" to null), id = "invalid")

        val letter = harness.awaitDead("order-cancel", "invalid")
        assertThat(letter.attempts()).isEqualTo(1)
        assertThat(letter.failure()?.message()).contains("orderNo")
    }

    @Test
    fun suspendFunctionHandlesABatch() {
        queue.sendAll(List(5) { DelayMessage.to("invoice").id("$it").payload(Invoice(it)).build() })
        harness.awaitAcknowledged("invoice", 5)

        assertThat(invoices.batches.flatten().toSet()).isEqualTo(List(5) { Invoice(it) }.toSet())
    }

    @Test
    fun coroutineOnAThreadOfReactorHasNoCommitToWaitFor() {
        val reactor = Schedulers.parallel().asCoroutineDispatcher()

        assertThatThrownBy { runBlocking(reactor) { queue.cancelAfterCommit("order-cancel", "reactor") } }
            .isInstanceOf(IllegalStateException::class.java)
            .hasMessageContaining("call cancelAsync when that transaction has completed")
    }

    private fun send(order: CancelOrder) = send(order, order.orderNo)

    private fun send(payload: Any, id: String = (payload as Map<*, *>)["orderNo"].toString()) {
        queue.send(DelayMessage.to("order-cancel").id(id).payload(payload).build())
    }
}
