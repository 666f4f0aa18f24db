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
        @NotBlank(message = "The field 'item' is required.")
        @Size(max = 100, message = "The field 'item' must have at most 100 characters.")
        String item,

        @NotNull(message = "The field 'amount' is required.")
        @DecimalMin(value = "0.01", message = "The field 'amount' must be at least 0.01.")
        @Digits(
                integer = 7,
                fraction = 2,
                message = "The field 'amount' must have at most 7 digits before and 2 after the decimal point.")
        BigDecimal amount) {}
