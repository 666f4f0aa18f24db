package io.delayqueue.sample.order;

import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Digits;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;

/**
 * The request body of an order.
 *
 * @param item 1 to 100 characters
 * @param amount at least 0.01
 */
record NewOrder(
        @NotBlank(message = "Say what is ordered: the field 'item' is empty.")
        @Size(max = 100, message = "The field 'item' has at most 100 characters.")
        String item,

        @NotNull(message = "Say what it costs: the field 'amount' is missing.")
        @DecimalMin(value = "0.01", message = "The field 'amount' is at least 0.01.")
        @Digits(
                integer = 7,
                fraction = 2,
                message = "The field 'amount' has at most 7 digits before the point and 2 behind it.")
        BigDecimal amount) {}
