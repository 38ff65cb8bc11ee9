/// The names of the recorder's functions, on all systems. A program may have other functions with the same prefix.
package enum RecorderFunctions {
  /// Whether `name`, without the underscore of Mach-O, is a function of the recorder, or a part that a compiler split
  /// off from such a function.
  package static func contain(_ name: ArraySlice<UInt8>) -> Bool {
    guard name.starts(with: "of_".utf8) || name.starts(with: "orderfile_".utf8) else {
      return false
    }
    return names.contains(Array(name.prefix { $0 != UInt8(ascii: ".") }))
  }

  private static let names = Set(list.split(whereSeparator: \.isWhitespace).map { Array($0.utf8) })

  /// The functions in Runtime/Recorder, ascending.
  private static let list = """
    of_add_data_image of_add_images of_add_registration of_address_space of_allocate of_allocate_mapped of_append
    of_append_number of_append_table of_at_exit of_await_registration of_begin of_calibrate of_calibrate_at
    of_claim_early_records of_claim_early_touches of_claim_mark of_claim_name of_claim_records of_claim_slots
    of_clear_leftover of_clear_payload of_clock of_clock_at_exit of_close of_compare_exchange_acquire
    of_compare_exchange_relaxed of_compare_exchange_release of_complain of_complete_early_hits of_copy of_copy_records
    of_count_unload of_create of_create_locked of_create_trace of_current_folder of_current_trace of_default_trace
    of_drain_early_records of_each_mapped_file of_each_shared_file of_early_record of_early_record_count
    of_encode_functions of_end_launch of_end_launch_at_mark of_ends_launch of_enlarge_table of_entry_in
    of_entry_of_guard of_environment of_equal of_error_name of_escape_path of_exchange_relaxed of_exchange_release
    of_exec_id of_executable_path of_expand_path of_fetch_add_acquire of_fetch_add_relaxed of_fetch_or_relaxed of_field
    of_file_kind of_file_number of_file_number_at of_file_size of_fill_function of_fill_header of_fill_record
    of_fill_touch of_find_build_id of_find_image of_find_mapped_trace of_find_quarters of_find_trace of_finish
    of_finish_at_exit of_finish_payload of_first_data_image of_first_early_hit of_first_hit of_first_touch of_fnv1a
    of_fnv1a_from of_forget_data_image of_free_registration of_further_early_records of_granule_start of_grow_trace
    of_guard_count of_has_process_number of_has_requested_name of_heeds_advice of_hexadecimal of_hit_count
    of_identify_self of_ignore_data of_image_of_guard of_inherit_images of_is_executable of_is_file_at of_is_in_payload
    of_is_in_program of_is_loaded of_is_locked of_is_mapping_of_ours of_is_needed of_is_over of_is_own_header
    of_is_own_number of_is_privileged of_is_registered of_is_settled of_is_shared_file_line of_is_trace of_join
    of_join_mapped_trace of_join_trace of_judge_name of_keep_path of_keep_payload_path of_keep_template of_length
    of_lengthen of_limit of_link_data of_list_images of_listen_for_unloads of_load_acquire of_load_relaxed of_lock_file
    of_lock_folder of_lock_registration of_make_absolute of_make_batch of_make_payload of_make_token of_map
    of_map_memory of_map_trace of_match_image of_match_program of_may_live of_measure_functions of_memory_class
    of_name_of of_open of_open_childs_trace of_open_mapped_trace of_open_process of_open_read of_open_trace
    of_open_write of_outcome of_overlaps of_own_number of_own_range of_own_trace of_owns_trace of_page_wiped_on_fork
    of_parse_number of_pass_on_losses of_path_beside of_pause of_payload_memory of_present_path of_process_namespace
    of_process_number of_process_start of_process_start_clock of_process_start_resolution of_provide_entries
    of_provide_memory of_publish of_publish_registration of_put of_put_bits of_put_number of_put_program_name
    of_raise_capacity of_random of_read of_read_header of_read_load_commands of_read_load_record of_read_memory
    of_read_start of_records of_records_for of_records_in of_registration_at of_registration_count
    of_remember_executable of_remember_thread of_remove of_replace_trace_after_fork of_reserve_blocks of_reserve_records
    of_restore_newlines of_seen_count of_sees_own_numbers of_set_aside of_shares_memory of_standard_error
    of_start_recording of_status_number of_store_relaxed of_store_release of_store_unload_count of_store_weak_id
    of_strip_signature of_syscall of_table_hash of_take_standard_streams of_take_touch_slot of_thread_number of_ticks
    of_ticks_per_second of_time_is_up of_today of_token_of_today of_touch of_touch_first of_touched_bits of_trace_folder
    of_try_lock_registration of_unload of_unload_count of_unload_own_image of_unlock_folder of_unlock_registration
    of_unmap of_unmap_trace of_used_slots of_wait_for_trace of_was_used of_watch_exit of_watch_threads of_words_for
    of_write of_write_error of_write_new of_write_number of_write_payload of_write_record orderfile_mark
    orderfile_rt_linked orderfile_rt_mark orderfile_rt_stop orderfile_rt_trace_path orderfile_rt_write_names
    orderfile_rt_write_payload orderfile_stop orderfile_write_names orderfile_write_payload
    """
}
