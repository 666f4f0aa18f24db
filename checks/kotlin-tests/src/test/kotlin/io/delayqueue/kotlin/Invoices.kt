package io.delayqueue.kotlin

import io.delayqueue.annotation.DelayListener
import kotlinx.coroutines.delay
import org.springframework.stereotype.Component
import java.util.concurrent.ConcurrentLinkedQueue
import kotlin.time.Duration.Companion.milliseconds

data class Invoice(val number: Int, val customer: String? = null)

@Component
class Invoices {

    val batches = ConcurrentLinkedQueue<List<Invoice>>()

    @DelayListener("invoice", batchSize = "10")
    suspend fun bill(invoices: List<Invoice>) {
        delay(1.milliseconds)
        batches += invoices
    }
}
