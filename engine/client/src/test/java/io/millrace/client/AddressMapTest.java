// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressMapTest {

    private static RedisUri.Tcp tcp(String host, int port) {
        return new RedisUri.Tcp(host, port);
    }

    @Test
    void addressWithAnEntryIsReplaced() {
        AddressMap map = AddressMap.of(List.of("10.0.0.7:7000=localhost:17000", "10.0.0.8:7000=nat.example.com:7001"));

        assertThat(map.reachable(tcp("10.0.0.7", 7_000))).isEqualTo(tcp("localhost", 17_000));
        assertThat(map.reachable(tcp("10.0.0.8", 7_000))).isEqualTo(tcp("nat.example.com", 7_001));
        assertThat(map.reachable(tcp("10.0.0.7", 7_001))).isEqualTo(tcp("10.0.0.7", 7_001));
    }

    @Test
    void entryWithoutPortsKeepsThePort() {
        AddressMap map = AddressMap.of(List.of("node=nat", "node:1=other:2"));

        assertThat(map.reachable(tcp("node", 7_000))).isEqualTo(tcp("nat", 7_000));
        assertThat(map.reachable(tcp("node", 1))).isEqualTo(tcp("other", 2));
    }

    @Test
    void hostsAreComparedWithoutCase() {
        assertThat(AddressMap.of(List.of("Node-1:1=Nat:2")).reachable(tcp("nODE-1", 1)))
                .isEqualTo(tcp("Nat", 2));
    }

    @Test
    void addressOfVersion6HasBrackets() {
        AddressMap map = AddressMap.of(List.of("[::1]:7000=[fe80::1%eth0]:1", "[2001:DB8::2]=nat"));

        assertThat(map.reachable(tcp("::1", 7_000))).isEqualTo(tcp("fe80::1%eth0", 1));
        assertThat(map.reachable(tcp("2001:db8::2", 9))).isEqualTo(tcp("nat", 9));
        assertThat(map).hasToString("AddressMap[[2001:db8::2]=nat, [::1]:7000=[fe80::1%eth0]:1]");
    }

    @Test
    void replacementIsNotReplacedAgain() {
        AddressMap map = AddressMap.of(List.of("a:1=b:1", "b:1=c:1"));

        assertThat(map.reachable(tcp("a", 1))).isEqualTo(tcp("b", 1));
    }

    @Test
    void emptyMapReplacesNothing() {
        assertThat(AddressMap.NONE.reachable(tcp("node", 1))).isEqualTo(tcp("node", 1));
        assertThat(AddressMap.of(List.of())).isEqualTo(AddressMap.NONE);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            10.0.0.7:7000                | there is no '='
            ``                           | there is no '='
            =                            | '' is not an address
            a:1=                         | '' is not an address
            =a:1                         | '' is not an address
            a:1=b                        | one address has a port, and the other has none
            a=b:1                        | one address has a port, and the other has none
            a:0=b:1                      | the port 0 is not from 1 to 65535
            a:1=b:65536                  | the port 65536 is not from 1 to 65535
            a:x=b:1                      | 'a:x' is not an address
            a:1=b:                       | 'b:' is not an address
            a:123456=b:1                 | 'a:123456' is not an address
            ::1=b                        | '::1' is not an address
            [::1=b                       | '[::1' is not an address
            a b:1=c:1                    | 'a b:1' is not an address
            a:1=b:1=c:1                  | 'b:1=c:1' is not an address
            redis://a:1=b:1              | 'redis://a:1' is not an address
            a:1=user@b:1                 | 'user@b:1' is not an address
            a:1=b:1,c:1=d:1              | 'b:1,c:1=d:1' is not an address
            """)
    void otherFormsAreRefusedWithTheirText(String entry, String why) {
        assertThatThrownBy(() -> AddressMap.of(List.of(entry)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("\"" + entry + "\" does not map an address: " + why
                        + ". Expected form: host:port=host:port, or host=host");
    }

    @Test
    void secondEntryForAnAddressIsRefused() {
        assertThatThrownBy(() -> AddressMap.of(List.of("A:1=b:1", "a:1=c:1")))
                .hasMessageStartingWith("\"a:1=c:1\" does not map an address: another entry already replaces a:1.");
    }
}
