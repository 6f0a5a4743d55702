# The routes of router.entries.toml as a script for the vendor's bfrt_python; ports as the program has them.
#
#     horae p4 bfrt platforms/p4/router/router.control.py --source platforms/p4/router/router.p4

routes = bfrt.router.pipe.Ingress.ipv4_lpm
routes.clear()
routes.add_with_route(dst_addr="10.0.0.0", dst_addr_p_length=24, port=8, next_hop="02:00:00:00:00:fe")
routes.add_with_route(dst_addr="10.0.0.2", dst_addr_p_length=32, port=16, next_hop="02:00:00:00:00:02")
routes.add_with_route(dst_addr="10.0.0.3", dst_addr_p_length=32, port=24, next_hop="02:00:00:00:00:03")
bfrt.complete_operations()
routes.dump()
