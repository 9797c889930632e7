// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextMaskTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    cannot connect to jdbc:postgresql://db:5432/shop?user=a | cannot connect to ***
                    redis://user:pw@cache:6379/0 refuses                    | *** refuses
                    no reply from cache.example.com:6379 within 5 s         | no reply from *** within 5 s
                    no reply from 127.0.0.1:6379                            | no reply from ***
                    no reply from localhost:6379                            | no reply from ***
                    cannot read /var/lib/shop/prices.csv: line 3            | cannot read ***: line 3
                    cannot read prices.csv: line 3                          | cannot read ***: line 3
                    failed: SELECT id FROM customer WHERE a = 1             | failed: ***
                    rows: 2, written: 2, 0.02 s, 95 rows/s                  | rows: 2, written: 2, 0.02 s, 95 rows/s
                    the deadline of the job passed: deadline=1 h.           | the deadline of the job passed: deadline=1 h.
                    """)
    void addressesPathsAndQueriesAreMasked(String text, String masked) {
        assertThat(TextMask.of(text)).isEqualTo(masked);
    }
}
