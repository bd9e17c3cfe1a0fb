/**
 * A row of an IANA registry. `globallyReachable` is the registry's value; `null` means "N/A", or empty as in the rows of
 * terminated allocations.
 */
export interface SpecialPurposeBlock {
  readonly block: string
  readonly name: string
  readonly reference: string
  readonly globallyReachable: boolean | null
}

/** All rows in the registry's order: https://www.iana.org/assignments/iana-ipv4-special-registry */
export const IPV4_SPECIAL_PURPOSE: readonly SpecialPurposeBlock[] = [
  row('0.0.0.0/8', 'This network', 'RFC 791', false),
  row('0.0.0.0/32', 'This host on this network', 'RFC 1122', false),
  row('10.0.0.0/8', 'Private-Use', 'RFC 1918', false),
  row('100.64.0.0/10', 'Shared Address Space', 'RFC 6598', false),
  row('127.0.0.0/8', 'Loopback', 'RFC 1122', false),
  row('169.254.0.0/16', 'Link Local', 'RFC 3927', false),
  row('172.16.0.0/12', 'Private-Use', 'RFC 1918', false),
  row('192.0.0.0/24', 'IETF Protocol Assignments', 'RFC 6890', false),
  row('192.0.0.0/29', 'IPv4 Service Continuity Prefix', 'RFC 7335', false),
  row('192.0.0.8/32', 'IPv4 dummy address', 'RFC 7600', false),
  row('192.0.0.9/32', 'Port Control Protocol Anycast', 'RFC 7723', true),
  row('192.0.0.10/32', 'Traversal Using Relays around NAT Anycast', 'RFC 8155', true),
  row('192.0.0.170/32', 'NAT64/DNS64 Discovery', 'RFC 8880', false),
  row('192.0.0.171/32', 'NAT64/DNS64 Discovery', 'RFC 8880', false),
  row('192.0.2.0/24', 'Documentation (TEST-NET-1)', 'RFC 5737', false),
  row('192.31.196.0/24', 'AS112-v4', 'RFC 7535', true),
  row('192.52.193.0/24', 'AMT', 'RFC 7450', true),
  row('192.88.99.0/24', 'Deprecated (6to4 Relay Anycast)', 'RFC 7526', null),
  row('192.88.99.2/32', '6a44-relay anycast address', 'RFC 6751', false),
  row('192.168.0.0/16', 'Private-Use', 'RFC 1918', false),
  row('192.175.48.0/24', 'Direct Delegation AS112 Service', 'RFC 7534', true),
  row('198.18.0.0/15', 'Benchmarking', 'RFC 2544', false),
  row('198.51.100.0/24', 'Documentation (TEST-NET-2)', 'RFC 5737', false),
  row('203.0.113.0/24', 'Documentation (TEST-NET-3)', 'RFC 5737', false),
  row('240.0.0.0/4', 'Reserved', 'RFC 1112', false),
  row('255.255.255.255/32', 'Limited Broadcast', 'RFC 919', false),
]

/** All rows in the registry's order: https://www.iana.org/assignments/iana-ipv6-special-registry */
export const IPV6_SPECIAL_PURPOSE: readonly SpecialPurposeBlock[] = [
  row('::1/128', 'Loopback Address', 'RFC 4291', false),
  row('::/128', 'Unspecified Address', 'RFC 4291', false),
  row('::ffff:0:0/96', 'IPv4-mapped Address', 'RFC 4291', false),
  row('64:ff9b::/96', 'IPv4-IPv6 Translation', 'RFC 6052', true),
  row('64:ff9b:1::/48', 'IPv4-IPv6 Translation', 'RFC 8215', false),
  row('100::/64', 'Discard-Only Address Block', 'RFC 6666', false),
  row('100:0:0:1::/64', 'Dummy IPv6 Prefix', 'RFC 9780', false),
  row('2001::/23', 'IETF Protocol Assignments', 'RFC 2928', false),
  row('2001::/32', 'TEREDO', 'RFC 4380', null),
  row('2001:1::1/128', 'Port Control Protocol Anycast', 'RFC 7723', true),
  row('2001:1::2/128', 'Traversal Using Relays around NAT Anycast', 'RFC 8155', true),
  row('2001:1::3/128', 'DNS-SD Service Registration Protocol Anycast', 'RFC 9665', true),
  row('2001:2::/48', 'Benchmarking', 'RFC 5180', false),
  row('2001:3::/32', 'AMT', 'RFC 7450', true),
  row('2001:4:112::/48', 'AS112-v6', 'RFC 7535', true),
  row('2001:10::/28', 'Deprecated (previously ORCHID)', 'RFC 4843', null),
  row('2001:20::/28', 'ORCHIDv2', 'RFC 7343', true),
  row('2001:30::/28', 'Drone Remote ID Protocol Entity Tags (DETs) Prefix', 'RFC 9374', true),
  row('2001:db8::/32', 'Documentation', 'RFC 3849', false),
  row('2002::/16', '6to4', 'RFC 3056', null),
  row('2620:4f:8000::/48', 'Direct Delegation AS112 Service', 'RFC 7534', true),
  row('3fff::/20', 'Documentation', 'RFC 9637', false),
  row('5f00::/16', 'Segment Routing (SRv6) SIDs', 'RFC 9602', false),
  row('fc00::/7', 'Unique-Local', 'RFC 4193', false),
  row('fe80::/10', 'Link-Local Unicast', 'RFC 4291', false),
]

/** Blocks of other registries that contain no public hosts either. */
export const OTHER_SPECIAL_PURPOSE: readonly SpecialPurposeBlock[] = [
  row('224.0.0.0/4', 'Multicast', 'RFC 5771', false),
  row('::/96', 'Deprecated (IPv4-Compatible)', 'RFC 4291', null),
  row('::ffff:0:0:0/96', 'IPv4-translated', 'RFC 2765', null),
  row('fec0::/10', 'Deprecated (Site-Local)', 'RFC 3879', null),
  row('ff00::/8', 'Multicast', 'RFC 4291', false),
]

function row(
  block: string,
  name: string,
  reference: string,
  globallyReachable: boolean | null,
): SpecialPurposeBlock {
  return { block, name, reference, globallyReachable }
}
