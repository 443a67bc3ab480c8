# Completion of sojourn(1) in bash.  tests/manual keeps it in step with --help.

_sojourn_commands='rtt oneway lab generate mark point collect query watch'
_sojourn_options='--help --version'
_sojourn_rtt_options='--help --interface --engine --hook --most-samples --kernel-output --duration --every --mmdb --filter --threads --kind --memory --table
  --longest --stages --entry-probability --expire
  --inside --keep-ambiguous --full-size-only --seed --by --top --max-groups --window --sla
  --from --to --split --sort --loss --html --heatmap --plot-heatmap
  --save-distribution --expect --false-alarm --expect-tolerance
  --names --anonymize --json --samples --plot --color --ascii'
_sojourn_oneway_options='--help --filter --method --window --sampling --sample-flows --payload-bytes
  --label --label-init --max-flows --seed --clock-error --clock-offset --correct-skew --flows --samples --by
  --top --json --plot --color --ascii --active-timeout --inactive-timeout --cache --drop-outliers --write-records
  --capacity --link-overhead --marking --interval --carrier --reversed
  --flow --via --segments'
_sojourn_point_options='--help --interface --name --to --transport --certificate --key --authority --spool --spool-size --every
  --enterprise --sampling --sample-flows --secret-file --active --inactive --cache --kind --memory --prefix
  --engine --filter --duration
  --reference --reference-to --observe-references --sender --capacity --flow-memory --flows --json --top
  --mark --observe --restore --interval --carrier --flow --force --copies --reversed --at --records --clock-error --largest-delay --clock-offset'
_sojourn_mark_options='--help --method --interval --carrier --flow --flow-id --force --restore --seed'
_sojourn_collect_options='--help --listen --udp --tls --certificate --key --authority --store --path --window --wait
  --memory --user --web --web-certificate --web-key --web-authority --web-token-file --insecure
  --alarm --alarm-rate --alarm-except --alarm-every --webhook --webhook-secret-file --webhook-authority'
_sojourn_watch_options='--help --interface --store --filter --kind --memory --prefix --duration
  --web --web-certificate --web-key --web-authority --web-token-file --insecure
  --alarm --alarm-rate --alarm-except --alarm-every --webhook --webhook-secret-file --webhook-authority'
_sojourn_query_options='--help --since --segment --by --quantiles --marks --references --loss --join --ledger --json --csv --ipfix'
_sojourn_lab_options='--help --quick --seed --out --html --json --kind --memory --seeds --plot --target'
_sojourn_generate_options='--help --model --packets --flows --requests --rate --answered --longest
  --duration --loss --reorder --snap-length --truth --seed --points --path --utilisation
  --duplicates --references --spikes --ipv6 --vlan --clock-offset --clock-drift --clock-jitter'
_sojourn_experiments='all l1 l2 l3 l4 l5 l6 l7 l8 l9 intervals margins scale'
_sojourn_methods='exact endpoint multiflow hybrid nearby trajectory rli rli-l rli-queue lda marking'
_sojourn_table_kinds='tcp handshake tcp-ts flow dns ntp icmp quic'
_sojourn_kinds="all usual $_sojourn_table_kinds response tls"
_sojourn_prefixes='16 24 host port flow'

# Directories, and files whose names say that they are captures.
_sojourn_captures() {
  local file
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do
    if [[ -d $file || $file =~ \.(pcap|pcapng|cap|dump|ntar)[0-9]*(\.(gz|zst))?$ ]]; then
      COMPREPLY+=("$file")
    fi
  done < <(compgen -f -- "$1")
}

_sojourn_interfaces() {
  local path
  for path in /sys/class/net/*/; do
    path=${path%/}
    [[ ${path##*/} == "$1"* ]] && COMPREPLY+=("${path##*/}")
  done
}

# The last name of a list with commas: what stands before it is kept.
_sojourn_list() {
  local current=$1 words=$2 before=
  [[ $current == *,* ]] && before=${current%,*},
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "${current##*,}")
  compopt -o nospace 2>/dev/null
}

_sojourn_rtt() {
  local current=$1 previous=$2
  case $previous in
    -i | --interface) _sojourn_interfaces "$current" ;;
    --kind) _sojourn_list "$current" "$_sojourn_kinds" ;;
    --table)
      mapfile -t COMPREPLY < <(compgen -W 'exact staged fridge fridges fridges-ivw leased tailored' -- "$current")
      ;;
    --engine) mapfile -t COMPREPLY < <(compgen -W 'kernel socket auto' -- "$current") ;;
    --kernel-output) mapfile -t COMPREPLY < <(compgen -W 'samples histograms' -- "$current") ;;
    --hook) mapfile -t COMPREPLY < <(compgen -W 'tc xdp' -- "$current") ;;
    --memory) mapfile -t COMPREPLY < <(compgen -W '4KiB 64KiB 1MiB 16MiB' -- "$current") ;;
    --entry-probability) mapfile -t COMPREPLY < <(compgen -W 'auto' -- "$current") ;;
    --by)
      mapfile -t COMPREPLY < <(compgen -W 'flow host requester prefix/24 prefix/24/48 port vlan interface tunnel dns-name dns-type dns-code asn country' -- "$current")
      ;;
    --sort) mapfile -t COMPREPLY < <(compgen -W 'samples median p95 p99 change lost' -- "$current") ;;
    --from | --to | --split) mapfile -t COMPREPLY < <(compgen -W '10s 1min 10min 1h' -- "$current") ;;
    --color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$current") ;;
    --duration | --every | --expire | --longest | --window)
      mapfile -t COMPREPLY < <(compgen -W '500ms 1s 10s 30s 1min 5min 1h' -- "$current")
      ;;
    --samples | --mmdb | --plot | --html | --plot-heatmap | --save-distribution | --expect)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      ;;
    --most-samples | --filter | --threads | --stages | --inside | --seed | --top | --max-groups | --sla | --false-alarm | --expect-tolerance) ;;
    *)
      if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "-i $_sojourn_rtt_options" -- "$current")
      else
        _sojourn_captures "$current"
      fi
      ;;
  esac
}

_sojourn_oneway() {
  local current=$1 previous=$2
  case $previous in
    --marking) mapfile -t COMPREPLY < <(compgen -W 'step pulse double multiplexed' -- "$current") ;;
    --interval) mapfile -t COMPREPLY < <(compgen -W '1ms 16ms 250ms 1s 16s 64s' -- "$current") ;;
    --carrier) mapfile -t COMPREPLY < <(compgen -W "$_sojourn_marking_carriers" -- "$current") ;;
    --flow) ;;
    --method) mapfile -t COMPREPLY < <(compgen -W "$_sojourn_methods" -- "$current") ;;
    --label) mapfile -t COMPREPLY < <(compgen -W 'bob ipsx' -- "$current") ;;
    --window) mapfile -t COMPREPLY < <(compgen -W '100ms 1s 10s 1min' -- "$current") ;;
    --by) mapfile -t COMPREPLY < <(compgen -W 'flow host requester prefix/24 prefix/24/48 port' -- "$current") ;;
    --color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$current") ;;
    --flows | --samples | --plot | --write-records)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      ;;
    --max-flows | --filter | --sampling | --payload-bytes | --label-init | --seed | --clock-error | --clock-offset | --top) ;;
    *)
      if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_sojourn_oneway_options" -- "$current")
      else
        _sojourn_captures "$current"
      fi
      ;;
  esac
}

_sojourn_marking_carriers='dscp dscp:1,0 reserved flow-label hop-by-hop destination'

_sojourn_mark() {
  local current=$1 previous=$2
  case $previous in
    --method) mapfile -t COMPREPLY < <(compgen -W 'step pulse double multiplexed' -- "$current") ;;
    --interval) mapfile -t COMPREPLY < <(compgen -W '1ms 16ms 250ms 1s 16s 64s' -- "$current") ;;
    --carrier) mapfile -t COMPREPLY < <(compgen -W "$_sojourn_marking_carriers" -- "$current") ;;
    --flow | --flow-id | --seed) ;;
    *)
      if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_sojourn_mark_options" -- "$current")
      else
        _sojourn_captures "$current"
      fi
      ;;
  esac
}

_sojourn_point() {
  local current=$1 previous=$2
  case $previous in
    -i | --interface) mapfile -t COMPREPLY < <(compgen -W "$(ls /sys/class/net 2>/dev/null)" -- "$current") ;;
    --transport) mapfile -t COMPREPLY < <(compgen -W 'tcp tls udp' -- "$current") ;;
    --certificate | --key | --authority | --secret-file | --spool | --flows | --records)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      ;;
    --mark | --observe | --restore) mapfile -t COMPREPLY < <(compgen -W 'step pulse double multiplexed' -- "$current") ;;
    --carrier) mapfile -t COMPREPLY < <(compgen -W "$_sojourn_marking_carriers" -- "$current") ;;
    --interval) mapfile -t COMPREPLY < <(compgen -W '16ms 128ms 1s 16s' -- "$current") ;;
    --at) mapfile -t COMPREPLY < <(compgen -W 'ingress egress' -- "$current") ;;
    --reference) mapfile -t COMPREPLY < <(compgen -W '1-in-300 both adaptive' -- "$current") ;;
    --every | --active | --inactive | --duration) mapfile -t COMPREPLY < <(compgen -W '1s 10s 15s 1min 30min' -- "$current") ;;
    --kind) _sojourn_list "$current" "$_sojourn_kinds none" ;;
    --sampling) mapfile -t COMPREPLY < <(compgen -W '0.001 0.01 0.1 1' -- "$current") ;;
    --engine) mapfile -t COMPREPLY < <(compgen -W 'kernel socket auto' -- "$current") ;;
    --prefix) mapfile -t COMPREPLY < <(compgen -W "$_sojourn_prefixes" -- "$current") ;;
    --name | --to | --spool-size | --enterprise | --cache | --memory | --filter | --reference-to | --sender | --capacity | \
      --flow-memory | --top | --flow | --clock-error | --largest-delay | --clock-offset) ;;
    *)
      if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_sojourn_point_options" -- "$current")
      else
        _sojourn_captures "$current"
      fi
      ;;
  esac
}

_sojourn_collect() {
  local current=$1 previous=$2
  case $previous in
    --certificate | --key | --authority | --store | --web-certificate | --web-key | --web-authority | --web-token-file | --webhook-secret-file | --webhook-authority)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      ;;
    --user) mapfile -t COMPREPLY < <(compgen -u -- "$current") ;;
    --memory) mapfile -t COMPREPLY < <(compgen -W '64MiB 256MiB 1GiB' -- "$current") ;;
    --window | --wait) mapfile -t COMPREPLY < <(compgen -W '10s 30s 1min 5min' -- "$current") ;;
    --listen | --udp | --tls | --path | --web | --alarm | --alarm-rate | --alarm-except | --alarm-every | --webhook) ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$_sojourn_collect_options" -- "$current") ;;
  esac
}

_sojourn_watch() {
  local current=$1 previous=$2
  case $previous in
    -i | --interface) _sojourn_interfaces "$current" ;;
    --store | --web-certificate | --web-key | --web-authority | --web-token-file | --webhook-secret-file | --webhook-authority)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      ;;
    --kind) _sojourn_list "$current" "$_sojourn_kinds" ;;
    --memory) mapfile -t COMPREPLY < <(compgen -W '4MiB 16MiB 64MiB' -- "$current") ;;
    --prefix) mapfile -t COMPREPLY < <(compgen -W "$_sojourn_prefixes" -- "$current") ;;
    --web | --filter | --duration | --alarm | --alarm-rate | --alarm-except | --alarm-every | --webhook) ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$_sojourn_watch_options" -- "$current") ;;
  esac
}

_sojourn_query() {
  local current=$1 previous=$2
  case $previous in
    --since) mapfile -t COMPREPLY < <(compgen -W '10min 1h 24h 168h' -- "$current") ;;
    --by) mapfile -t COMPREPLY < <(compgen -W 'prefix/16 prefix/24 host port flow' -- "$current") ;;
    --segment | --quantiles | --marks | --references) ;;
    *)
      if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_sojourn_query_options" -- "$current")
      else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
      fi
      ;;
  esac
}

_sojourn_lab() {
  local current=$1 previous=$2
  case $previous in
    --out | --html | --plot)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      ;;
    --kind) mapfile -t COMPREPLY < <(compgen -W "$_sojourn_table_kinds" -- "$current") ;;
    --memory) _sojourn_list "$current" '4KiB 64KiB 1MiB 16MiB' ;;
    --seed | --seeds | --target) ;;
    *)
      if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_sojourn_lab_options" -- "$current")
      elif [[ ${COMP_WORDS[2]} == compare || ${COMP_WORDS[2]} == tune ]] && ((COMP_CWORD > 2)); then
        _sojourn_captures "$current"
      else
        mapfile -t COMPREPLY < <(compgen -W "$_sojourn_experiments compare tune" -- "$current")
      fi
      ;;
  esac
}

_sojourn_generate() {
  local current=$1 previous=$2
  case $previous in
    --model) mapfile -t COMPREPLY < <(compgen -W 'fridge isp bursts tcp chic sanj ipls' -- "$current") ;;
    --longest | --duration) mapfile -t COMPREPLY < <(compgen -W '500ms 1s 10s 30s 1min' -- "$current") ;;
    --points) mapfile -t COMPREPLY < <(compgen -W '1 2' -- "$current") ;;
    --path) mapfile -t COMPREPLY < <(compgen -W 'weibull droptail red' -- "$current") ;;
    --packets | --flows | --requests | --rate | --answered | --loss | --reorder | --snap-length | --seed) ;;
    --utilisation | --duplicates | --references | --spikes | --ipv6 | --clock-offset | --clock-drift | --clock-jitter) ;;
    *)
      if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_sojourn_generate_options" -- "$current")
      else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
      fi
      ;;
  esac
}

_sojourn() {
  COMPREPLY=()
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  # readline splits --kind=tcp into three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]] && ((COMP_CWORD > 1)); then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi

  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$_sojourn_commands $_sojourn_options" -- "$current")
  elif [[ " $_sojourn_commands " == *" ${COMP_WORDS[1]} "* ]]; then
    "_sojourn_${COMP_WORDS[1]}" "$current" "$previous"
  fi
}

complete -F _sojourn sojourn
