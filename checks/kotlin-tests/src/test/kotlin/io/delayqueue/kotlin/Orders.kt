package io.delayqueue.kotlin

import io.delayqueue.annotation.DeadLetterListener
import io.delayqueue.annotation.DelayListener
import io.delayqueue.listener.Delivery
import io.delayqueue.message.DeadLetter
import io.delayqueue.message.DelayMessage
import io.delayqueue.template.DelayQueueOperations
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.withContext
import org.springframework.stereotype.Component
import java.util.concurrent.ConcurrentHashMap
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.toJavaDuration

data class CancelOrder(
    val orderNo: String,
    val reason: String = "not paid",
    val notes: List<String> = emptyList(),
)

@Component
class Orders(private val queue: DelayQueueOperations, private val shop: Shop) {

    fun place(orderNo: String) {
        queue.send("order-cancel", CancelOrder(orderNo), 30.minutes.toJavaDuration())
    }

    fun placeWithId(orderNo: String) {
        queue.send(
            DelayMessage.to("order-cancel")
                .id(orderNo)
                .payload(CancelOrder(orderNo, notes = listOf("fragile")))
                .delay(30.minutes.toJavaDuration())
                .build(),
        )
    }

    @DelayListener("order-cancel", maxAttempts = "2", backoff = "fixed 10ms")
    suspend fun cancel(order: CancelOrder, delivery: Delivery) {
        shop.cancel(order, delivery.attempt())
    }

    @DeadLetterListener("order-cancel")
    fun deadLettered(deadLetter: DeadLetter) {
        shop.deadLettered[deadLetter.messageId()] = deadLetter.failure()?.message() ?: "unknown"
    }
}

/** What the order service calls: it suspends, and continues on another thread. */
@Component
class Shop {

    val cancelled = ConcurrentHashMap<CancelOrder, Int>()
    val deadLettered = ConcurrentHashMap<String, String>()

    suspend fun cancel(order: CancelOrder, attempt: Int) {
        delay(1.milliseconds)
        withContext(Dispatchers.IO) {
            check(order.reason != "sold") { "order ${order.orderNo} is sold" }
            cancelled[order] = attempt
        }
    }
}
