import './header-table.css'

interface HeaderTableProps {
  readonly label: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
}

/** HTTP headers, in order. */
export function HeaderTable({ label, headers }: HeaderTableProps) {
  if (headers.length === 0) return null
  return (
    <table className="ph-headers" aria-label={label}>
      <tbody>
        {headers.map(({ name, value }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
