import { isIP } from 'node:net'
import { groupsOf } from './address-blocks.ts'

/** Host spellings of an address that some parser, such as the URL standard or getaddrinfo, reads as that address. */
export function spellingsOf(ip: string): string[] {
  return isIP(ip) === 4 ? spellingsOfIpv4(ip) : spellingsOfIpv6(ip)
}

function spellingsOfIpv4(ip: string): string[] {
  const parts = ip.split('.').map(Number)
  const number = parts.reduce((sum, part) => sum * 256 + part, 0)
  const [a = 0, b = 0, c = 0, d = 0] = parts
  const octal = (part: number) => `0${part.toString(8)}`
  const hexadecimal = (part: number) => `0x${part.toString(16)}`
  const plain = [
    ip,
    String(number),
    octal(number),
    hexadecimal(number),
    hexadecimal(number).toUpperCase().replace('X', 'x'),
    parts.map(octal).join('.'),
    parts.map((part) => `000${octal(part)}`).join('.'),
    parts.map(hexadecimal).join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${hexadecimal(a)}.${octal(b)}.${c * 256 + d}`,
  ]
  return [
    ...plain,
    ...plain.map((spelling) => `${spelling}.`),
    ...[ip, `${a}.${b}.${c * 256 + d}`].flatMap((spelling) => [
      percentEncoded(spelling),
      inDigits(spelling, 0xff10),
      circled(spelling),
      ...['\u3002', '\uff0e', '\uff61'].map((dot) => spelling.replaceAll('.', dot)),
      `${spelling.replaceAll('.', '\u3002')}\uff0e`,
    ]),
    ...embeddedSpellings(ip),
  ]
}

/** IPv4-mapped and NAT64 forms, in which the address inside decides. */
function embeddedSpellings(ip: string): string[] {
  return [`[::ffff:${ip}]`, `[::FFFF:${hexOf(ip)}]`, `[64:ff9b::${hexOf(ip)}]`]
}

/** IPv6 forms of an IPv4 address that the internet does not route, even if the IPv4 address is public. */
export function smuggledSpellingsOf(ipv4: string): string[] {
  const groups = hexOf(ipv4)
  return [
    `[::${ipv4}]`,
    `[::ffff:0:${ipv4}]`,
    `[64:ff9b:1::${groups}]`,
    `[64:ff9b:1:${groups}::]`,
    `[2002:${groups}::1]`,
    `[2001:0:${groups}::1]`,
    `[2001::${complement(ipv4)}]`,
    `[fe80::5efe:${groups}]`,
    `[::ffff:${ipv4}%25eth0]`,
  ]
}

function spellingsOfIpv6(ip: string): string[] {
  const canonical = new URL(`https://[${ip}]/`).hostname
  const groups = groupsOf(ip)
  return [
    `[${ip}]`,
    canonical,
    canonical.toUpperCase(),
    `[${groups.join(':')}]`,
    `[${groups.map((group) => group.padStart(4, '0')).join(':')}]`,
    `[${ip}%25eth0]`,
    `[${ip}%eth0]`,
    `[${ip}%1]`,
  ]
}

function hexOf(ipv4: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number)
  return [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(':')
}

/** Teredo's obfuscation of a client address (RFC 4380). */
function complement(ipv4: string): string {
  return hexOf(
    ipv4
      .split('.')
      .map((part) => 255 - Number(part))
      .join('.'),
  )
}

function percentEncoded(text: string): string {
  return text.replace(/./g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
}

function inDigits(text: string, zero: number): string {
  return text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
}

function circled(text: string): string {
  return text.replace(/\d/g, (digit) =>
    digit === '0' ? '\u24ea' : String.fromCodePoint(0x2460 + Number(digit) - 1),
  )
}
